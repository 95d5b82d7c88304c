// All of what the console remembers.
import '../console/memory.test.ts';
