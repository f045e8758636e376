/** Spans as the collector gets them. The library calls each failed span interrupted, and adds a stack trace of its own to it. */
import * as OtlpSerialization from "@effect/opentelemetry/OtlpSerialization"
import { Effect, Layer, Predicate } from "effect"

const added: ReadonlySet<unknown> = new Set(["span.label", "status.interrupted"])

const isOwn = (attribute: unknown): boolean => !Predicate.hasProperty(attribute, "key") || !added.has(attribute.key)

/** Belltower's spans have no events. */
const own = (name: string, value: unknown): unknown =>
  name === "events" ? [] : name === "attributes" && Array.isArray(value) ? value.filter(isOwn) : value

/** Cleans spans before they are written in the encoding of `serialization`. */
export const spansOnly = (serialization: Layer.Layer<OtlpSerialization.OtlpSerialization>) =>
  Layer.effect(
    OtlpSerialization.OtlpSerialization,
    Effect.map(OtlpSerialization.OtlpSerialization, (encoding) => ({
      ...encoding,
      traces: (data: unknown) => encoding.traces(JSON.parse(JSON.stringify(data, own)))
    }))
  ).pipe(Layer.provide(serialization))
