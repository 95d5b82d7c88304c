// The S3 server, which the long ring must have, and a list of parts that needs several answers.
import '../store/objects.test.ts';
