/**
 * Starts a child process, or says that the system refuses it: with EPERM and ENOMEM Node throws, with ENOENT, EACCES, EAGAIN and
 * EMFILE it emits.
 */
import { Either } from "effect"
import { type ChildProcess, spawn, type SpawnOptions } from "node:child_process"

/**
 * Null if the process cannot start. A refusal is no defect: a probe without capabilities or free process ids has every other
 * kind of check.
 */
export const startProcess = (command: string, args: ReadonlyArray<string>, options: SpawnOptions): ChildProcess | null => {
  const child = Either.getOrNull(Either.try(() => spawn(command, args, options)))
  // A failure that `pid` already shows is also emitted, later.
  child?.on("error", () => {})
  return child?.pid === undefined ? null : child
}
