// Settings that are gone, and what took their places.
import type { SettingName } from './config.ts';

/**
 * Settings of the version before this one, and those that took their places; null: none did. They are taken for
 * one version more, with a warning.
 */
export const RETIRED = {
  wideWorkers: 'scanWorkers',
  wideThreads: 'scanThreads',
  wideMemoryBytes: 'scanMemoryBytes',
  wideNice: 'scanNice',
  fastWorkers: null,
  fastMemoryBytes: null,
  gather: null,
  indexBytes: null,
  catalogEntries: null,
} as const satisfies Record<string, SettingName | null>;
