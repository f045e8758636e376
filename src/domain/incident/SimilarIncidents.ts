/** Finds past incidents that are like one: of the same monitor or components, or with a title of the same words. */
import type { IncidentSummary } from "../../../schema/incident/Incident.ts"

type Compared = Pick<IncidentSummary, "id" | "title" | "monitorId" | "components">

type Likeness = "same monitor" | "same component" | "similar title"

/** Words that say nothing about what is wrong. */
const common = new Set("a an and are at by for from has have in is it not of on or our the to was we were with".split(" "))

const wordsOf = (title: string): ReadonlySet<string> =>
  new Set((title.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).filter((word) => !common.has(word)))

/** The share of words that both titles have, 0 to 1. */
const overlap = (one: ReadonlySet<string>, other: ReadonlySet<string>): number => {
  const both = [...one].filter((word) => other.has(word)).length
  const all = one.size + other.size - both
  return all === 0 ? 0 : both / all
}

/** Below it, titles have a word or two in common by chance. */
const leastOverlap = 0.4

const shared = (one: Compared, other: Compared): number => {
  const ids = new Set<string>(one.components.map(({ componentId }) => componentId))
  return other.components.filter(({ componentId }) => ids.has(componentId)).length
}

/** The best reason first: the monitor weighs more than any component, and that more than any title. */
const likenessOf = (one: Compared, words: ReadonlySet<string>, other: Compared): readonly [weight: number, Likeness] | null => {
  const title = overlap(words, wordsOf(other.title))
  const components = shared(one, other)
  return one.monitorId !== null && one.monitorId === other.monitorId
    ? [1000 + components + title, "same monitor"]
    : components > 0
    ? [1 + components + title, "same component"]
    : title >= leastOverlap
    ? [title, "similar title"]
    : null
}

/** At most `most` of the past incidents with the reason, the most similar first; of equal ones, as they come. */
export const similarTo = <Past extends Compared>(
  one: Compared,
  past: ReadonlyArray<Past>,
  most: number
): ReadonlyArray<{ readonly incident: Past; readonly likeness: Likeness }> => {
  const words = wordsOf(one.title)
  const seen = new Set<string>([one.id])
  return past
    .flatMap((incident) => {
      const found = seen.has(incident.id) ? null : likenessOf(one, words, incident)
      seen.add(incident.id)
      return found === null ? [] : [{ incident, weight: found[0], likeness: found[1] }]
    })
    .toSorted((first, second) => second.weight - first.weight)
    .slice(0, most)
    .map(({ incident, likeness }) => ({ incident, likeness }))
}
