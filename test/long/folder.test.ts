// A hundred swaps under load instead of some.
import '../follow/folder.test.ts';
