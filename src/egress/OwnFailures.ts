/** Failures of this process, which say nothing about the other side. */
import { Either } from "effect"
import { closeSync, openSync } from "node:fs"
import { devNull } from "node:os"

/** The process or the machine has no file descriptor left, so nothing was sent. */
export const isOfProcess = ({ code }: { readonly code?: string | undefined }): boolean => code === "EMFILE" || code === "ENFILE"

const codeOf = (error: unknown): string | null =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : null

/** The code with which opening a file fails now, for lack of a descriptor; null if there is one. */
export const lackOfFiles = (): string | null => {
  const code = Either.match(Either.try({ try: () => closeSync(openSync(devNull, "r")), catch: codeOf }), {
    onLeft: (failure) => failure,
    onRight: () => null
  })
  return code !== null && isOfProcess({ code }) ? code : null
}
