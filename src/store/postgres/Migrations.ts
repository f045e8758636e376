/** The migrations of this version. */
import initial from "../../../infra/migrations/0001_initial.ts"
import alertChannels from "../../../infra/migrations/0002_alert_channels.ts"
import maintenanceScope from "../../../infra/migrations/0003_maintenance_scope.ts"
import mutes from "../../../infra/migrations/0004_mutes.ts"
import probes from "../../../infra/migrations/0005_probes.ts"
import regionTopics from "../../../infra/migrations/0006_region_topics.ts"
import strangers from "../../../infra/migrations/0007_strangers.ts"
import verifiedDomains from "../../../infra/migrations/0008_verified_domains.ts"
import unusedWorkspaces from "../../../infra/migrations/0009_unused_workspaces.ts"
import traces from "../../../infra/migrations/0010_traces.ts"
import deadmanPings from "../../../infra/migrations/0014_deadman_pings.ts"
import { makeMigrator } from "./Migrator.ts"

/** Every file of infra/migrations by name. The imports are static so that the bundle contains them. */
export const { migrate, plan, verify } = makeMigrator({
  "0001_initial": initial,
  "0002_alert_channels": alertChannels,
  "0003_maintenance_scope": maintenanceScope,
  "0004_mutes": mutes,
  "0005_probes": probes,
  "0006_region_topics": regionTopics,
  "0007_strangers": strangers,
  "0008_verified_domains": verifiedDomains,
  "0009_unused_workspaces": unusedWorkspaces,
  "0010_traces": traces,
  "0014_deadman_pings": deadmanPings
})
