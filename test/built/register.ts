// Loaded before a test file: what is imported from src/ comes out of dist/ instead, as `make build` made it. That is
// what is shipped, and starting a gateway from TypeScript takes four times the processor time, in every lane and thread.
import { register } from 'node:module';

register('./hooks.ts', import.meta.url);
