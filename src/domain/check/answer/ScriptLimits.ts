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
  totalBytes: 16 * 1_048_576,
  /** Messages from the sandbox: log lines, steps, pauses, requests and actions together. Each costs the worker processor time. */
  messages: 10_000,
  /** Of answers that the sandbox has not taken yet, bytes: they wait in the memory of the worker. */
  untakenBytes: 64 * 1_048_576
} as const

/** The limits of one run of a browser check, beside those of its script. */
export const browserLimits = {
  /** Memory of the browser's processes together, without what they share, bytes. */
  memoryBytes: 1_073_741_824,
  /** Of the JavaScript heap of each page, MiB. */
  heapMiB: 384,
  /** Of its pages, in both directions, bytes. */
  transferBytes: 100 * 1_048_576,
  connections: 100,
  /** Of one message from the browser, and of all, bytes. */
  messageBytes: 8 * 1_048_576,
  totalBytes: 64 * 1_048_576,
  /** Of an action that waits for an element, ms; less if the check's timeout comes first. */
  waitMs: 10_000,
  actions: 200,
  screenshots: 4,
  /** Of the screenshots together, base64 characters. */
  screenshotCharacters: 400_000,
  /** Wider pages are scaled down, pixels. */
  screenshotWidth: 1280,
  /** Of the text that a page gives a script, characters. */
  textCharacters: 100_000,
  consoleLines: 50,
  consoleCharacters: 500
} as const
