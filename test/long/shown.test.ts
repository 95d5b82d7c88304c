// Pictures of tables as people see them: on a phone, dark and light.
import '../picture/shown.test.ts';
