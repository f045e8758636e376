/** A snapshot in one language: the public status that the JSON API returns and the HTML page renders. */
import type { PublicIncident } from "../../schema/incident/Incident.ts"
import type { Language } from "../../schema/page/Page.ts"
import type { PublicPage } from "../../schema/page/PublicPage.ts"
import { wordsIn } from "../domain/page/Languages.ts"
import { publicIncident } from "../domain/page/PublicIncidentView.ts"
import type { ShownComponent, Snapshot } from "../domain/page/Snapshot.ts"
import { snapshotVersion } from "../domain/page/SnapshotVersion.ts"
import { linksFrom } from "../links/Links.ts"

export interface PublicView {
  readonly page: PublicPage
  readonly components: ReadonlyArray<ShownComponent>
  readonly past: ReadonlyArray<PublicIncident>
  /** Changes with what live pages learn. */
  readonly version: string
}

/** Shows incidents of a snapshot's page to visitors of a language. */
export const incidentView = (snapshot: Snapshot, language: Language, baseUrl: string) =>
  publicIncident(
    snapshot.components,
    language,
    linksFrom(baseUrl).page(snapshot.page),
    snapshot.page.settings.aiPublicUpdates
  )

export const publicView = (snapshot: Snapshot, language: Language, baseUrl: string): PublicView => {
  const { branding, description, id, name, seo, settings, slug, theme } = snapshot.page
  const url = linksFrom(baseUrl).page(snapshot.page)
  const toPublic = publicIncident(snapshot.components, language, url, settings.aiPublicUpdates)
  return {
    page: {
      page: {
        id,
        slug,
        name,
        description,
        url,
        theme,
        branding,
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
      incidents: snapshot.incidents.map(toPublic),
      maintenances: snapshot.maintenances.map(toPublic),
      updatedAt: snapshot.at
    },
    components: snapshot.components,
    past: snapshot.past.map(toPublic),
    version: snapshotVersion(snapshot)
  }
}
