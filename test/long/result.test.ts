// All of an answer in the console.
import '../console/result.test.ts';
