/** The deployment's secret as a command prints it, such as that of a key management service. */
import { Effect, Redacted } from "effect"
import { execFile } from "node:child_process"
import { secretProblem } from "../domain/secret/SecretStrength.ts"
import { BadSetting } from "../settings/BadSetting.ts"

const patienceSec = 30
const mostOutput = 64 * 1024
/** Characters of the command's stderr that an error shows. */
const mostShown = 500

const failed = (why: string) => new BadSetting({ message: `BELLTOWER_SECRET_COMMAND ${why}` })

/** Its words about a failure in one line. What it printed to stdout may be the secret, and is never shown. */
const shown = (stderr: string): string => {
  const text = stderr.split(/[\r\n]/).map((line) => line.trim()).filter((line) => line !== "").join("; ")
  return text === "" ? "" : `: ${text.slice(-mostShown)}`
}

/** Runs the command once, without a shell. It gets this process's environment, has no input and 30 seconds. */
export const secretOfCommand = (
  [program, ...args]: readonly [string, ...ReadonlyArray<string>],
  timeoutSec = patienceSec
) =>
  Effect.async<string, BadSetting>((resume) => {
    const child = execFile(
      program,
      args,
      { timeout: timeoutSec * 1000, killSignal: "SIGKILL", maxBuffer: mostOutput, encoding: "utf8" },
      (error, stdout, stderr) => {
        if (error === null) return resume(Effect.succeed(stdout.replace(/\r?\n$/, "")))
        if (error.code === "ENOENT" || error.code === "EACCES") return resume(failed(`cannot be run: ${error.code} ${program}`))
        if (error.code === "ERR_CHILD_PROCESS_STDIO_MAXBUFFER") return resume(failed(`printed more than ${mostOutput} bytes`))
        if (error.killed === true) return resume(failed(`did not end within ${timeoutSec} seconds${shown(stderr)}`))
        resume(failed(`failed with ${error.signal ?? `exit code ${error.code}`}${shown(stderr)}`))
      }
    )
    child.stdin?.on("error", () => {}).end()
    return Effect.sync(() => void child.kill("SIGKILL"))
  }).pipe(
    Effect.filterOrFail((text) => text !== "", () => failed("printed nothing")),
    Effect.filterOrElse(
      (text) => secretProblem(text) === null,
      (text) => failed(`printed a secret that ${secretProblem(text) ?? ""}`)
    ),
    Effect.map((text) => Redacted.make(text))
  )
