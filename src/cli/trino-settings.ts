// Rows of the table of settings: the distributed engine.
import { setting } from './setting.ts';
import { text, url, wholeNumber } from './value.ts';

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
} as const;
