// The parts of a body as they are, and how many bytes they were.

/** @param onEnd called once: at the end, where the body fails, or where its reader leaves it */
export function countedParts(
  parts: AsyncIterable<Uint8Array>,
  onEnd: (bytes: number) => void,
): AsyncIterable<Uint8Array> {
  const reader = parts[Symbol.asyncIterator]();
  let bytes = 0;
  let ended = false;
  const end = (): void => {
    if (!ended) onEnd(bytes);
    ended = true;
  };
  return {
    [Symbol.asyncIterator]: () => ({
      async next() {
        try {
          const part = await reader.next();
          if (part.done === true) end();
          else bytes += part.value.byteLength;
          return part;
        } catch (error) {
          end();
          throw error;
        }
      },
      // A reader may leave before it has begun: then the body's own must be told, too.
      async return() {
        end();
        await reader.return?.();
        return { done: true, value: undefined };
      },
    }),
  };
}
