/** Runs one script in a QuickJS context of its own, within limits of time, memory and stack. Knows the host only as `send`. */
import variant from "@jitl/quickjs-singlefile-mjs-release-sync"
import { Either, Option, Predicate, Schema } from "effect"
import {
  newQuickJSWASMModuleFromVariant,
  newVariant,
  type QuickJSContext,
  type QuickJSHandle,
  type QuickJSRuntime,
  type QuickJSWASMModule
} from "quickjs-emscripten-core"
import { scriptLimits } from "../../domain/check/answer/ScriptLimits.ts"
import { prelude } from "./Prelude.ts"
import type { ParentMessage, SandboxMessage } from "./ScriptMessages.ts"

const pageBytes = 65_536

/** Loads QuickJS with the memory of a script. QuickJS's own limit does not count the sizes of its allocations in this build. */
export const loadQuickJS = (): Promise<QuickJSWASMModule> =>
  newQuickJSWASMModuleFromVariant(
    newVariant(variant, {
      wasmMemory: new WebAssembly.Memory({ initial: 256, maximum: scriptLimits.memoryBytes / pageBytes })
    })
  )

type Send = (message: SandboxMessage) => void
type Done = Extract<SandboxMessage, { readonly t: "done" }>

/** The messages of the prelude. Anything else is ignored: a script can reach `send` only through it. */
const Sent = Schema.parseJson(Schema.Record({ key: Schema.String, value: Schema.Unknown }))
const decodeSent = Schema.decodeUnknownOption(Sent)

export interface Run {
  readonly settle: (message: Extract<ParentMessage, { readonly t: "reply" }>) => void
}

class State {
  readonly runtime: QuickJSRuntime
  readonly context: QuickJSContext
  readonly memory: WebAssembly.Memory
  readonly send: Send
  readonly deadline: number
  /** Processor time of earlier steps, ms, and the start of this one. */
  spentMs = 0
  startedAt = performance.now()
  stoppedBy: string | null = null
  logLines = 0
  logCharacters = 0
  over = false

  constructor(quickJS: QuickJSWASMModule, timeoutMs: number, send: Send) {
    this.runtime = quickJS.newRuntime()
    this.runtime.setMaxStackSize(scriptLimits.stackBytes)
    this.context = this.runtime.newContext()
    this.memory = quickJS.getWasmMemory()
    this.send = send
    this.deadline = performance.now() + timeoutMs
    this.runtime.setInterruptHandler(() => interrupted(this))
  }
}

const seconds = (ms: number): string => `${ms / 1000} s`

const interrupted = (state: State): boolean => {
  const now = performance.now()
  if (state.spentMs + now - state.startedAt > scriptLimits.cpuMs) {
    state.stoppedBy = `The script used more than ${seconds(scriptLimits.cpuMs)} of processor time`
  } else if (now > state.deadline) state.stoppedBy = "The script did not end within its timeout"
  return state.stoppedBy !== null
}

const finish = (state: State, done: Omit<Done, "t">): void => {
  if (state.over) return
  state.over = true
  state.send({ t: "done", ...done })
}

/** Log lines beyond the limits are dropped here already: a flood must not reach the parent. */
const sendLog = (state: State, level: "log" | "warn" | "error", text: string): void => {
  if (state.logLines > scriptLimits.logLines) return
  const room = scriptLimits.logCharacters - state.logCharacters
  if (++state.logLines > scriptLimits.logLines || room <= 0) {
    state.logLines = scriptLimits.logLines + 1
    return state.send({ t: "logsCut" })
  }
  state.logCharacters += Math.min(text.length, room)
  state.send({ t: "log", level, text: text.slice(0, room) })
  if (text.length > room) state.send({ t: "logsCut" })
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : "")
const headersOf = (value: unknown): Record<string, string> =>
  Predicate.isRecord(value)
    ? Object.fromEntries(Object.entries(value).map(([name, one]) => [name, textOf(one)]))
    : {}
const numberOf = (value: unknown): number => (typeof value === "number" ? value : 0)

const receive = (state: State, message: Readonly<Record<string, unknown>>): void => {
  switch (message["t"]) {
    case "log":
      return sendLog(
        state,
        message["level"] === "warn" || message["level"] === "error" ? message["level"] : "log",
        textOf(message["text"])
      )
    case "step": {
      const error = typeof message["error"] === "string" ? message["error"].slice(0, 1000) : null
      return state.send({ t: "step", name: textOf(message["name"]).slice(0, 200), ms: numberOf(message["ms"]), error })
    }
    case "sleep":
      return state.send({ t: "sleep", id: numberOf(message["id"]), ms: numberOf(message["ms"]) })
    case "http": {
      const body = typeof message["body"] === "string" ? message["body"] : null
      return state.send({
        t: "http",
        id: numberOf(message["id"]),
        method: textOf(message["method"]).slice(0, 20),
        url: textOf(message["url"]).slice(0, 4000),
        headers: headersOf(message["headers"]),
        body: body === null ? null : body.slice(0, scriptLimits.requestBody + 1),
        followRedirects: message["followRedirects"] !== false
      })
    }
    case "page":
      return state.send({
        t: "page",
        id: numberOf(message["id"]),
        action: textOf(message["action"]).slice(0, 100),
        args: textOf(message["args"]).slice(0, scriptLimits.requestBody)
      })
    case "done": {
      const end = message["end"] === "passed" || message["end"] === "assertion" ? message["end"] : "error"
      const text = textOf(message["message"]).slice(0, 2000)
      // A limit stops an async function like an exception does.
      const limit = state.stoppedBy ?? (end === "error" ? limitOf(text) ?? shortageIn(state, text) : null)
      if (limit !== null) return finish(state, { end: "limit", message: limit })
      return finish(state, { end, message: end === "passed" ? null : text })
    }
    default:
      return undefined
  }
}

const outOfMemory = `The script used more than ${scriptLimits.memoryBytes / 1_048_576} MiB of memory`

/** The message for a limit that QuickJS itself reports; null for other errors. */
const limitOf = (message: string): string | null =>
  message.includes("out of memory") ? outOfMemory : message.includes("stack overflow") ? "The script overflowed its stack" : null

/** Without memory for an exception, QuickJS throws null. The memory grows in steps of which the last may not fit. */
const isFull = ({ memory }: State): boolean => memory.buffer.byteLength > 0.9 * scriptLimits.memoryBytes

const shortageIn = (state: State, message: string): string | null =>
  message === "The script threw null" && isFull(state) ? outOfMemory : null

/** An error that no handler of the script saw: a syntax error, or a limit. */
const failedWith = (state: State, error: QuickJSHandle): void => {
  const dumped: unknown = state.context.dump(error)
  error.dispose()
  const { message = String(dumped), name = "Error", stack = "" } = Predicate.isRecord(dumped) ? dumped : {}
  const limit = state.stoppedBy ?? (dumped === null && isFull(state) ? outOfMemory : limitOf(textOf(message)))
  const line = /script\.js:(\d+)/.exec(textOf(stack))?.[1]
  const text = `${textOf(name)}: ${textOf(message)}${line === undefined ? "" : ` (line ${line})`}`
  finish(state, { end: limit === null ? "error" : "limit", message: limit ?? text })
}

const runWithin = (state: State, work: () => void): void => {
  if (state.over) return
  state.startedAt = performance.now()
  const ran = Either.try(() => {
    work()
    // A script can make jobs without end; the interrupt handler counts their time, too.
    while (!state.over && state.runtime.hasPendingJob()) {
      const jobs = state.runtime.executePendingJobs(100)
      if (jobs.error !== undefined) return failedWith(state, jobs.error)
      if (interrupted(state)) return undefined
    }
  })
  state.spentMs += performance.now() - state.startedAt
  if (state.stoppedBy !== null) return finish(state, { end: "limit", message: state.stoppedBy })
  // An exception of the engine itself: it ran out of its own stack or memory.
  if (Either.isLeft(ran)) {
    finish(state, { end: "limit", message: limitOf(String(ran.left)) ?? "The script overflowed its stack" })
  }
}

/** The functions of the prelude. */
const enter = (state: State, env: string, hasPage: boolean) => {
  const { context } = state
  const send = context.newFunction("send", (text) => {
    if (state.over) return
    const sent = decodeSent(context.getString(text))
    if (Option.isSome(sent)) receive(state, sent.value)
  })
  const make = context.unwrapResult(context.evalCode(prelude, "prelude.js"))
  const api = context.unwrapResult(
    context.callFunction(make, context.undefined, send, context.newString(env), hasPage ? context.true : context.false)
  )
  const settle = context.getProp(api, "settle")
  const watch = context.getProp(api, "watch")
  const waits = context.getProp(api, "waits")
  return {
    watch: (running: QuickJSHandle): void => {
      context.unwrapResult(context.callFunction(watch, context.undefined, running))
    },
    waits: (): number => context.getNumber(context.unwrapResult(context.callFunction(waits, context.undefined))),
    settle: (id: number, ok: boolean, value: string) =>
      context.callFunction(
        settle,
        context.undefined,
        context.newNumber(id),
        ok ? context.true : context.false,
        context.newString(value)
      )
  }
}

/** Starts a script. `send` gets its messages, `done` last. Frees nothing: a process runs one script. */
export const startScript = (
  quickJS: QuickJSWASMModule,
  { code, env, hasPage, timeoutMs }: Extract<ParentMessage, { readonly t: "run" }>,
  send: Send
): Run => {
  const state = new State(quickJS, timeoutMs, send)
  const api = enter(state, env, hasPage)

  /** A script that waits for nothing that could still happen would otherwise wait for its timeout. */
  const endIfStuck = (): void => {
    if (state.over || api.waits() > 0) return
    // Without memory for its next step a chain of promises just ends.
    if (isFull(state)) return finish(state, { end: "limit", message: outOfMemory })
    finish(state, { end: "error", message: "The script waits for a promise that nothing will settle" })
  }
  const step = (work: () => void): void => {
    runWithin(state, work)
    runWithin(state, endIfStuck)
  }

  step(() => {
    // On the first line, so that line numbers in errors are the script's.
    const running = state.context.evalCode(`(async () => {${code}\n})()`, "script.js")
    if (running.error !== undefined) return failedWith(state, running.error)
    api.watch(running.value)
  })

  return {
    settle: ({ id, ok, value }) =>
      step(() => {
        const result = api.settle(id, ok, value)
        if (result.error !== undefined) failedWith(state, result.error)
      })
  }
}
