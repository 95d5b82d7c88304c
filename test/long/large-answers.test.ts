// Answers of fifty megabytes instead of ten.
import '../lane/large-answers.test.ts';
