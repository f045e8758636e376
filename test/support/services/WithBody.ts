/** Reads what a client sends to a local server. */
import { buffer } from "node:stream/consumers"

/** Uses the bytes once all have come. A client that leaves in the middle has sent nothing: its test says whether that is right. */
export const withBytes = (sent: NodeJS.ReadableStream, use: (bytes: Buffer) => unknown): void =>
  void buffer(sent).then(use, () => {})

export const withBody = (sent: NodeJS.ReadableStream, use: (body: string) => unknown): void =>
  withBytes(sent, (bytes) => use(bytes.toString("utf8")))
