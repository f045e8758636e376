/** A snapshot in one language: the public status that the JSON API returns and the HTML page renders. */
import type { PublicIncident } from "../../schema/incident/Incident.ts"
import type { Language } from "../../schema/page/Page.ts"
import type { PublicPage } from "../../schema/page/PublicPage.ts"
import { wordsIn } from "../domain/page/Languages.ts"
import { shownBranding } from "../domain/page/PageImages.ts"
import { maskInSteps, type PageIncident } from "../domain/page/PageIncident.ts"
import { publicIncident } from "../domain/page/PublicIncidentView.ts"
import type { ShownComponent, Snapshot } from "../domain/page/snapshot/Snapshot.ts"
import { snapshotVersion } from "../domain/page/snapshot/SnapshotVersion.ts"
import { mapInSteps, type Steps } from "../domain/tools/Steps.ts"
import { linksFrom } from "../links/Links.ts"

export interface PublicView {
  readonly page: PublicPage
  readonly components: ReadonlyArray<ShownComponent>
  readonly past: ReadonlyArray<PublicIncident>
  /** Changes with the content of live pages. */
  readonly version: string
}

/** Shows incidents of a snapshot's page to visitors of a language. */
const incidentView = (snapshot: Snapshot, language: Language, baseUrl: string) =>
  publicIncident(
    snapshot.components,
    language,
    linksFrom(baseUrl).page(snapshot.page),
    snapshot.page.settings.aiPublicUpdates
  )

/** Incidents in one step, with up to 20 updates each; notes of the service are translated for each form. */
const incidentsPerStep = 5

/** The view without incidents, which many forms omit. */
export const bareView = (snapshot: Snapshot, language: Language, baseUrl: string): PublicView => {
  const { branding, description, id, name, seo, settings, slug, theme } = snapshot.page
  const url = linksFrom(baseUrl).page(snapshot.page)
  return {
    page: {
      page: {
        id,
        slug,
        name,
        description,
        url,
        theme,
        branding: shownBranding(branding, baseUrl),
        settings: {
          uptimeDays: settings.uptimeDays,
          showUptimePercent: settings.showUptimePercent,
          showResponseTimes: settings.showResponseTimes,
          language: settings.language,
          subscriptions: settings.subscriptions,
          timezone: settings.timezone
        },
        seo
      },
      status: snapshot.status,
      statusText: wordsIn(language).page[snapshot.status],
      groups: snapshot.groups,
      components: snapshot.components.map(({ recentPercent: _, responses: __, ...component }) => component),
      incidents: [],
      maintenances: [],
      updatedAt: snapshot.at
    },
    components: snapshot.components,
    past: [],
    version: snapshotVersion(snapshot)
  }
}

/** The view with open incidents and maintenances. */
export function* openView(snapshot: Snapshot, language: Language, baseUrl: string): Steps<PublicView> {
  const bare = bareView(snapshot, language, baseUrl)
  const shown = incidentView(snapshot, language, baseUrl)
  const incidents = yield* mapInSteps(snapshot.incidents, incidentsPerStep, shown)
  const maintenances = yield* mapInSteps(snapshot.maintenances, incidentsPerStep, shown)
  return { ...bare, page: { ...bare.page, incidents, maintenances } }
}

export function* wholeView(snapshot: Snapshot, language: Language, baseUrl: string): Steps<PublicView> {
  const view = yield* openView(snapshot, language, baseUrl)
  return { ...view, past: yield* mapInSteps(snapshot.past, incidentsPerStep, incidentView(snapshot, language, baseUrl)) }
}

export function* shownIncidents(
  snapshot: Snapshot,
  incidents: ReadonlyArray<PageIncident>,
  language: Language,
  baseUrl: string
): Steps<ReadonlyArray<PublicIncident>> {
  yield* maskInSteps(incidents)
  return yield* mapInSteps(incidents, incidentsPerStep, incidentView(snapshot, language, baseUrl))
}
