// The console for everybody, in every state, on a phone, dark and light.
import '../console/access.test.ts';
