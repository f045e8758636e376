/** The program that tries an isolation from inside: it attempts what a helper must not be able to do, and prints what it could do. */
import { Either, Schema } from "effect"
import { accessSync, constants } from "node:fs"
import { connect, createServer } from "node:net"
import { type Lack, Trial } from "./Trial.ts"

const can = (attempt: () => void): boolean => Either.isRight(Either.try(attempt))

const reaches = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1")
    socket.once("connect", () => {
      socket.destroy()
      resolve(true)
    })
    socket.once("error", () => resolve(false))
  })

const reachesItself = (): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const address = server.address()
      resolve(reaches(typeof address === "object" && address !== null ? address.port : 0))
    })
    server.once("error", () => resolve(false))
  })

const run = async ({ needsLoopback, paths, port, uid }: Trial): Promise<void> => {
  if (needsLoopback && !(await reachesItself())) {
    process.stderr.write("its network has no loopback interface", () => process.exit(1))
    return
  }
  const lacks: Readonly<Record<Lack, boolean>> = {
    user: process.getuid?.() === uid,
    // Whose parent is in the same process namespace sees all processes.
    processes: process.ppid !== 0,
    files: paths.some((path) => can(() => accessSync(path, constants.R_OK))),
    network: await reaches(port),
    rights: can(() => process.setuid?.(0))
  }
  process.stdout.write(JSON.stringify(Object.entries(lacks).filter(([, is]) => is).map(([name]) => name)), () => process.exit(0))
}

await run(Schema.decodeUnknownSync(Schema.parseJson(Trial))(process.argv[2]))
