/** The guide for people, in the order in which it is read: from the first monitor to on-call. */
import { alerts } from "./alerts.ts"
import { connectAnApp } from "./connectAnApp.ts"
import { cronJobs } from "./cronJobs.ts"
import { escalation } from "./escalation.ts"
import { firstMonitor } from "./firstMonitor.ts"
import { incidents } from "./incidents.ts"
import { maintenance } from "./maintenance.ts"
import { onCall } from "./onCall.ts"
import type { PeoplePage } from "./Page.ts"
import { statusPage } from "./statusPage.ts"
import { subscribers } from "./subscribers.ts"
import { whyDown } from "./whyDown.ts"

export const peoplePages: ReadonlyArray<PeoplePage> = [
  firstMonitor,
  whyDown,
  alerts,
  cronJobs,
  statusPage,
  subscribers,
  incidents,
  maintenance,
  onCall,
  escalation,
  connectAnApp
]

export const peopleHome = "/docs/guide"

export const peoplePath = ({ slug }: Pick<PeoplePage, "slug">): `/docs/${string}` => `/docs/guide/${slug}`
