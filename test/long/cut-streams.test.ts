// A thousand interrupted streams instead of a hundred.
import '../worker/cut-streams.test.ts';
