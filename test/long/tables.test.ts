// All of the console's tables.
import '../console/tables.test.ts';
