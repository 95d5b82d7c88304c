// A validator that is followed for longer.
import '../follow/live.test.ts';
