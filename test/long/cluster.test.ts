// A cluster on machines of its own, two hundred publishings under load.
import '../publish/cluster.test.ts';
