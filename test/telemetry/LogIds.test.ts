/** Lines of the log name their request and its trace. */
import { expect, it } from "@effect/vitest"
import { Context, Effect, FiberRef, FiberRefs, HashMap, Logger, Option, Tracer } from "effect"
import { withIds, withSpanOfTrace } from "../../src/deployment/LogIds.ts"
import { failureOf } from "../../src/http/server/Envelope.ts"
import { RequestId } from "../../src/http/server/RequestId.ts"
import { CurrentTrace } from "../../src/telemetry/Tracing.ts"

const [traceId, spanId] = ["0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"]
const inTrace = Effect.provideService(CurrentTrace, `00-${traceId}-${spanId}-00`)
const inRequest = Effect.provideService(RequestId, "r1")

/** Fields that a logger adds to the lines of some work. */
const logged = <A>(
  wrap: (logger: Logger.Logger<unknown, void>) => Logger.Logger<unknown, void>,
  read: (options: Logger.Logger.Options<unknown>) => A,
  work: Effect.Effect<unknown>
) =>
  Effect.suspend(() => {
    const lines: Array<A> = []
    const logger = wrap(Logger.make((options) => void lines.push(read(options))))
    return Effect.as(Effect.provide(work, Logger.replace(Logger.defaultLogger, logger)), lines)
  })

const annotations = ({ annotations: all }: Logger.Logger.Options<unknown>) => Object.fromEntries(HashMap.toEntries(all))

it.effect("as a failed request is reported by the id that its line has", () =>
  Effect.gen(function*() {
    const failing = inTrace(inRequest(Effect.flatMap(Effect.cause(Effect.die("broken")), failureOf)))
    expect(yield* logged(withIds, annotations, failing)).toEqual([{ requestId: "r1", traceId, spanId }])
    expect(yield* logged(withIds, annotations, Effect.logInfo("idle"))).toEqual([{}])
  }))

it.effect("also for the records of OTLP, which never name a span that is not recorded", () =>
  Effect.gen(function*() {
    const spanOf = ({ context }: Logger.Logger.Options<unknown>) =>
      Option.getOrNull(Option.map(
        Context.getOption(FiberRefs.getOrDefault(context, FiberRef.currentContext), Tracer.ParentSpan),
        (span) => [span.traceId, span.spanId]
      ))
    const line = Effect.withTracerEnabled(Effect.withSpan(Effect.logInfo("a line"), "library"), false)
    expect(yield* logged(withSpanOfTrace, spanOf, inTrace(line))).toEqual([[traceId, spanId]])
    expect(yield* logged(withSpanOfTrace, spanOf, line)).toEqual([null])
  }))
