// All of the console's way of a statement.
import '../console/query.test.ts';
