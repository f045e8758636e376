/** The program of a sandbox process: takes one script from its parent over a pipe, runs it, and has nothing else. */
import { Either } from "effect"
import { Socket } from "node:net"
import { getPriority, setPriority } from "node:os"
import { loadQuickJS, type Run, startScript } from "./Sandbox.ts"
import { decodeParentMessage, type ParentMessage, type SandboxMessage } from "./ScriptMessages.ts"

/** The worker's own checks go first. A process that was started with a lower priority still may not raise it. */
setPriority(Math.max(10, getPriority()))

const quickJS = await loadQuickJS()
const pipe = new Socket({ fd: 3 })
let run: Run | null = null

const send = (message: SandboxMessage): void => {
  pipe.write(`${JSON.stringify(message)}\n`)
  if (message.t === "done") pipe.end()
}

const handle = (message: ParentMessage): void => {
  if (message.t === "run") run = startScript(quickJS, message, send)
  else run?.settle(message)
}

let rest = ""
pipe.setEncoding("utf8")
pipe.on("data", (text: string) => {
  const lines = (rest + text).split("\n")
  rest = lines.pop() ?? ""
  for (const line of lines) Either.match(decodeParentMessage(line), { onLeft: () => process.exit(1), onRight: handle })
})
// Without a parent there is nothing left to do.
pipe.on("close", () => process.exit(0))
pipe.on("error", () => process.exit(1))
send({ t: "ready" })
