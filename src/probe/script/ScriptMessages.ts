/** The messages between a worker and a sandbox process: one JSON text for each line, decoded on both sides. */
import { Schema } from "effect"

/** A request as the script wrote it; the parent judges what of it may be sent. */
const HttpCall = Schema.Struct({
  t: Schema.Literal("http"),
  id: Schema.Int,
  method: Schema.String,
  url: Schema.String,
  headers: Schema.Record({ key: Schema.String, value: Schema.String }),
  body: Schema.NullOr(Schema.String),
  followRedirects: Schema.Boolean
})
export type HttpCall = typeof HttpCall.Type

/** An action on the page of a browser; `args` is JSON. */
const PageCall = Schema.Struct({ t: Schema.Literal("page"), id: Schema.Int, action: Schema.String, args: Schema.String })
export type PageCall = typeof PageCall.Type

const LogLevel = Schema.Literal("log", "warn", "error")

/** From the sandbox. `ready`: it can take a script. `done`: the script ended, for better or worse. */
export const SandboxMessage = Schema.Union(
  Schema.Struct({ t: Schema.Literal("ready") }),
  Schema.Struct({ t: Schema.Literal("log"), level: LogLevel, text: Schema.String }),
  Schema.Struct({ t: Schema.Literal("logsCut") }),
  Schema.Struct({ t: Schema.Literal("step"), name: Schema.String, ms: Schema.Number, error: Schema.NullOr(Schema.String) }),
  HttpCall,
  PageCall,
  Schema.Struct({ t: Schema.Literal("sleep"), id: Schema.Int, ms: Schema.Number }),
  Schema.Struct({
    t: Schema.Literal("done"),
    end: Schema.Literal("passed", "assertion", "error", "limit"),
    message: Schema.NullOr(Schema.String)
  })
)
export type SandboxMessage = typeof SandboxMessage.Type

export const decodeSandboxMessage = Schema.decodeEither(Schema.parseJson(SandboxMessage))

/** To the sandbox. `reply` settles a call: `value` is JSON, and an error is its message. */
export const ParentMessage = Schema.Union(
  Schema.Struct({
    t: Schema.Literal("run"),
    code: Schema.String,
    env: Schema.String,
    hasPage: Schema.Boolean,
    timeoutMs: Schema.Number
  }),
  Schema.Struct({ t: Schema.Literal("reply"), id: Schema.Int, ok: Schema.Boolean, value: Schema.String })
)
export type ParentMessage = typeof ParentMessage.Type

export const decodeParentMessage = Schema.decodeEither(Schema.parseJson(ParentMessage))
