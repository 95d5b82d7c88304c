// A gateway that serves, whatever it is made of: what the process that started it may do with it.

export interface Gateway {
  /** `http://127.0.0.1:8080`: where it listens. */
  readonly address: string;
  /** `http://127.0.0.1:9464/metrics`; undefined where they are off. */
  readonly metricsAddress: string | undefined;
  /** Looks for a new snapshot in the data folder now. */
  look(): void;
  /** Stops accepting, lets running requests end, then stops the engine. */
  close(): Promise<void>;
}
