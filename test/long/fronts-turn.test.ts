// Fifty turns of three fronts instead of a few.
import '../fronts/turn.test.ts';
