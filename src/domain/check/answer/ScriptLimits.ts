/** The limits of one run of a script. The sandbox and its parent both enforce them: the parent does not trust the sandbox. */

export const scriptLimits = {
  /** Processor time of the script itself, ms; waiting for responses does not count. */
  cpuMs: 2000,
  /** Everything the script holds, bytes. */
  memoryBytes: 64 * 1_048_576,
  stackBytes: 256 * 1024,
  /** Lines of its log, and their characters together. */
  logLines: 200,
  logCharacters: 16_384,
  steps: 100,
  requests: 50,
  concurrentRequests: 6,
  /** Of a request's body, characters, and of a response's body, bytes. */
  requestBody: 100_000,
  responseBody: 1_048_576,
  /** Of a message from the sandbox, and of all messages of a run, bytes. */
  messageBytes: 1_048_576,
  totalBytes: 16 * 1_048_576
} as const
