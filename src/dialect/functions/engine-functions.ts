// Every function in JavaScript that the emitted SQL may call. The worker registers them at session open.

import { CORE_FUNCTIONS } from './runtime/core-functions.ts';
import { DATE_FUNCTIONS } from './runtime/date-functions.ts';
import type { EngineFunction } from './runtime/engine-function.ts';
import { JSON_FUNCTIONS } from './runtime/json-functions.ts';
import { OPERATOR_FUNCTIONS } from './runtime/operator-functions.ts';

export { ERROR_MARK } from './runtime/engine-function.ts';

export const ENGINE_FUNCTIONS: readonly EngineFunction[] = [
  ...OPERATOR_FUNCTIONS,
  ...CORE_FUNCTIONS,
  ...JSON_FUNCTIONS,
  ...DATE_FUNCTIONS,
];
