/** An incident as a visitor of one page, or a subscriber, may see it, in one language. */
import type { PublicIncident, SetComponent } from "../../../schema/incident/Incident.ts"
import type { Language } from "../../../schema/page/Page.ts"
import { translateNote } from "../incident/AutomaticNotes.ts"
import { type NamedComponents, namesOf as distinctNames } from "../incident/ComponentOutage.ts"
import { failureOf } from "../incident/WorstStatus.ts"
import { confidentialTexts } from "../monitor/settings/ConfidentialTexts.ts"
import { maskUrls } from "../secret/UrlSecrets.ts"
import { isolated } from "../tools/text/Direction.ts"
import { durationInLanguage, namedIn, wordsIn } from "./Languages.ts"
import { maskedBody, type PageIncident, type PageUpdate } from "./PageIncident.ts"
import { concealing, keeping } from "./PublicText.ts"

const joined = (language: Language, names: ReadonlyArray<string>) =>
  new Intl.ListFormat(language, { style: "long", type: "conjunction" }).format(names.map(isolated))

/** Hides secrets of URLs, also in people's texts: a URL copied into a note may hold a secret. The bodies of updates are masked already. */
const withoutUrlSecrets = (incident: PublicIncident): PublicIncident => ({
  ...incident,
  title: maskUrls(incident.title),
  aiSummary: incident.aiSummary === null ? null : maskUrls(incident.aiSummary)
})

/**
 * Translates the service's notes, which may name monitors and components of other pages, and replaces these names by those of the page's
 * components. People's texts lose only secrets of URLs. `showsAi`: the page lets AI write for its visitors.
 */
export const publicIncident = (shown: NamedComponents, language: Language, url: string, showsAi: boolean) => {
  const words = wordsIn(language)
  const noteLanguage = { words, duration: durationInLanguage(language) }
  const join = (names: ReadonlyArray<string>) => joined(language, names)
  const namesOf = (components: ReadonlyArray<SetComponent>) => {
    const affected = new Set(components.map(({ componentId }) => componentId))
    return distinctNames(shown.filter(({ id }) => affected.has(id)))
  }
  return (
    { automatic, isCut: _, monitorName, monitorTarget, otherNames, wholePage: __, ...incident }: PageIncident
  ): PublicIncident => {
    const each = namesOf(incident.components)
    const monitors = [...otherNames, ...monitorName === null ? [] : [monitorName]]
    const hidden = [...monitors, ...monitors.map(maskUrls), ...confidentialTexts(monitorTarget)]
    const known = { each, join, all: each.length === 0 ? incident.title : join(each) }
    const conceal = concealing(hidden, known)
    const some = keeping(hidden, known)
    const everything = (list: string) => each.length === 0 ? some(list) : known.all
    const ofService = (text: string) => translateNote(text, noteLanguage, { everything, some }) ?? conceal(text)
    const written = (update: PageUpdate) => {
      const { body, byPerson, public: _, ...rest } = update
      return { ...rest, body: byPerson ? maskedBody(update) : maskUrls(ofService(body)) }
    }
    const failure = failureOf(incident)
    const [failing = "", ...others] = namesOf(failure.components)
    const isOne = others.length === 0
    const failed = isOne ? isolated(failing) : words.andMore(isolated(failing), others.length)
    return withoutUrlSecrets({
      ...incident,
      components: incident.components.map(({ componentId, status }) => ({ componentId, status })),
      title: !automatic ? incident.title : failure.status === "major_outage"
        ? words.isDown(failed, isOne)
        : namedIn(language, failed, words.component[failure.status]),
      aiSummary: incident.aiSummary === null || !showsAi ? null : ofService(incident.aiSummary),
      updates: incident.updates.map(written),
      url: `${url}/incidents/${incident.id}`
    })
  }
}
