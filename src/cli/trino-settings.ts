// Rows of the table of settings: the distributed engine.
import { setting } from './setting.ts';
import { duration, oneOf, text, url, wholeNumber } from './value.ts';

export const TRINO_SETTINGS = {
  trino: setting(
    '',
    '',
    'Address of the Trino cluster with the tables that are too large for this machine, such as http://trino:8080; empty: none.',
    url,
  ),
  trinoUser: setting(
    'tablegate',
    '',
    'User at Trino, who must not be able to write; its password, where it has one, is in TRINO_PASSWORD.',
    text,
  ),
  trinoStatements: setting(
    8,
    'statements',
    'Statements that are sent to Trino at the same time; more wait in line.',
    wholeNumber(1, 256),
  ),
  trinoOverflow: setting(
    'off',
    '',
    'Whether statements that end in the scan lane, by their time or its memory, are sent to Trino where their tables are in the lake, too; they take up to twice their time limit then.',
    oneOf('on', 'off'),
  ),
  lake: setting(
    '',
    '',
    'Folder that the catalogs lake and lake_publish of Trino read: a publisher puts the large tables of each snapshot there, as Parquet; empty: none.',
    text,
  ),
  lakeUser: setting(
    'tablegate_publisher',
    '',
    'User at Trino by whom a publisher makes the schemas of snapshots; its password, where it has one, is in TRINO_LAKE_PASSWORD.',
    text,
  ),
  lakeGrace: setting(
    900_000,
    'ms',
    'For so long the tables of a snapshot stay in the lake that its store has no more: at least --deadline-ms, the longest of any gateway, and 10 minutes for readers.',
    duration(0, 86_400_000),
  ),
} as const;
