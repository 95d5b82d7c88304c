// What a type's name says of a CAST to it: datatype3.html section 3.1, where the first rule that fits decides.

export function isIntegerType(type: string): boolean {
  return /int/i.test(type);
}

export function isTextType(type: string): boolean {
  return !isIntegerType(type) && /char|clob|text/i.test(type);
}

export function isBlobType(type: string): boolean {
  return /blob/i.test(type) || type === '';
}

/** It gives an integer or a real. */
export function isNumberType(type: string): boolean {
  return isIntegerType(type) || !(isTextType(type) || isBlobType(type));
}
