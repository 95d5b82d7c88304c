// Hostile values, names, messages and links in the console, all of them.
import '../console/hostile.test.ts';
