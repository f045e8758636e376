/** The program that starts Chromium in isolation, listens there for its connections, and hands the socket to the worker. */
import { spawn } from "node:child_process"
import { mkdtempSync } from "node:fs"
import { createServer } from "node:net"
import { getPriority, setPriority, tmpdir } from "node:os"
import { join } from "node:path"
import { profilePrefix } from "./ProfileName.ts"

/** The worker's own checks go first. */
setPriority(Math.max(10, getPriority()))

const [, , program = "chromium", ...flags] = process.argv
const profile = mkdtempSync(join(tmpdir(), profilePrefix(process.ppid)))
const listener = createServer()

const startBrowser = (): void => {
  const child = spawn(
    program,
    [...flags, `--user-data-dir=${profile}`, "about:blank"],
    // Chromium speaks to the worker over descriptors 3 and 4.
    { cwd: "/", env: { HOME: profile, PATH: "/usr/local/bin:/usr/bin:/bin" }, stdio: ["ignore", "ignore", "ignore", 3, 4] }
  )
  child.on("error", () => process.exit(1))
  child.on("exit", () => process.exit(1))
}

listener.listen(0, "127.0.0.1", () => {
  const address = listener.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  // The worker ends the channel when it has the socket. The browser begins only then: nothing beside it may hold either of them.
  process.once("disconnect", () => {
    listener.close()
    startBrowser()
  })
  process.send?.({ profile, port }, listener)
})
