// All of the console's charts.
import '../console/charts.test.ts';
