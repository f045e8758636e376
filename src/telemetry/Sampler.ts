/** Decides which traces are recorded, once, where each begins. The names and meanings are those of OpenTelemetry. */
import type { SpanContext } from "../domain/tools/TraceParent.ts"

/** The first is the default. */
export const samplerNames = [
  "parentbased_always_on",
  "always_on",
  "always_off",
  "traceidratio",
  "parentbased_always_off",
  "parentbased_traceidratio"
] as const

export interface SamplerSettings {
  readonly name: (typeof samplerNames)[number]
  /** The part of traces that a ratio records, from 0 to 1. */
  readonly ratio: number
}

/** Says whether the work of a span is recorded; null for work that begins a trace. `draw` returns a number from 0 up to 1. */
export type Sampler = (parent: SpanContext | null) => boolean

/** All processes with the same ratio decide the same about a trace: its last eight digits are as good as random. */
const isWithin = (ratio: number, { traceId }: SpanContext): boolean => Number.parseInt(traceId.slice(-8), 16) / 2 ** 32 < ratio

export const makeSampler = ({ name, ratio }: SamplerSettings, draw: () => number): Sampler => {
  const part = name.endsWith("always_on") ? 1 : name.endsWith("always_off") ? 0 : ratio
  const isParentBased = name.startsWith("parentbased_")
  return (parent) => {
    if (parent !== null && isParentBased) return parent.sampled
    if (part === 0 || part === 1) return part === 1
    return parent === null ? draw() < part : isWithin(part, parent)
  }
}
