// Every kind of fault of the scan lane.
import '../lane/faults.test.ts';
