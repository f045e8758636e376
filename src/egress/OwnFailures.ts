/** Failures of this process, which say nothing about the other side. */
import { Either, Predicate } from "effect"
import { closeSync, openSync } from "node:fs"
import { devNull } from "node:os"

/** The process or the machine has no file descriptor left, so nothing was sent. */
const lacksFiles = ["EMFILE", "ENFILE"]

export const isOfProcess = ({ code }: { readonly code?: string | undefined }): boolean =>
  code !== undefined && lacksFiles.includes(code)

const lackOf = (error: unknown): string | null =>
  lacksFiles.find((code) => Predicate.hasProperty(error, "code") && error.code === code) ?? null

/** The code with which a file could not be opened now, for lack of a descriptor; null if there is one. */
export const lackOfFiles = (): string | null =>
  Either.match(Either.try({ try: () => closeSync(openSync(devNull, "r")), catch: lackOf }), {
    onLeft: (lack) => lack,
    onRight: () => null
  })
