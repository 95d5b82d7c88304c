// More answers that meet the deadline.
import '../routes/deadline.test.ts';
