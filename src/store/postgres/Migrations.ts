/** The migrations of this version. */
import { Effect } from "effect"
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
import backups from "../../../infra/migrations/0011_backups.ts"
import deadmanPings from "../../../infra/migrations/0014_deadman_pings.ts"
import contactWays from "../../../infra/migrations/0020_contact_ways.ts"
import personDrills from "../../../infra/migrations/0021_person_drills.ts"
import urgency from "../../../infra/migrations/0022_urgency.ts"
import rotationLayers from "../../../infra/migrations/0025_rotation_layers.ts"
import subscriptionKinds from "../../../infra/migrations/0030_subscription_kinds.ts"
import images from "../../../infra/migrations/0031_images.ts"
import jobRuns from "../../../infra/migrations/0042_job_runs.ts"
import pingKeys from "../../../infra/migrations/0043_ping_keys.ts"
import heartbeatSlugs from "../../../infra/migrations/0044_heartbeat_slugs.ts"
import oauth from "../../../infra/migrations/0050_oauth.ts"
import deletedWorkspaces from "../../../infra/migrations/0052_deleted_workspaces.ts"
import deletedAndAlike from "../../../infra/migrations/0053_deleted_and_alike.ts"
import pageDrafts from "../../../infra/migrations/0054_page_drafts.ts"
import monitorsByName from "../../../infra/migrations/0055_monitors_by_name.ts"
import begunAttempts from "../../../infra/migrations/0057_begun_attempts.ts"
import importDocuments from "../../../infra/migrations/0059_import_documents.ts"
import runOutput from "../../../infra/migrations/0060_run_output.ts"
import eventsByType from "../../../infra/migrations/0061_events_by_type.ts"
import undelivered from "../../../infra/migrations/0062_undelivered.ts"
import { makeMigrator } from "./Migrator.ts"
import { refuseSetAside } from "./SetAside.ts"

/** Every file of infra/migrations by name. The imports are static so that the bundle contains them. */
export const migrations = {
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
  "0011_backups": backups,
  "0014_deadman_pings": deadmanPings,
  "0020_contact_ways": contactWays,
  "0021_person_drills": personDrills,
  "0022_urgency": urgency,
  "0025_rotation_layers": rotationLayers,
  "0030_subscription_kinds": subscriptionKinds,
  "0031_images": images,
  "0042_job_runs": jobRuns,
  "0043_ping_keys": pingKeys,
  "0044_heartbeat_slugs": heartbeatSlugs,
  "0050_oauth": oauth,
  "0052_deleted_workspaces": deletedWorkspaces,
  "0053_deleted_and_alike": deletedAndAlike,
  "0054_page_drafts": pageDrafts,
  "0055_monitors_by_name": monitorsByName,
  "0057_begun_attempts": begunAttempts,
  "0059_import_documents": importDocuments,
  "0060_run_output": runOutput,
  "0061_events_by_type": eventsByType,
  "0062_undelivered": undelivered
}

const migrator = makeMigrator(migrations)

/** Runs the migrations that the database lacks; their names. Fails on a database that is set aside. */
export const migrate = Effect.zipRight(refuseSetAside, migrator.migrate)

/** Fails unless the database has the schema of this version and is not set aside. */
export const verify = Effect.zipRight(refuseSetAside, migrator.verify)

/** Effects of a migration on the database. */
export const plan = migrator.plan

/** The migrations with their checksums. */
export const knownMigrations = migrator.known

export const newestMigrations: ReadonlyArray<string> = Object.keys(migrations)

/** Brings a database that is set aside to the schema of these migrations. */
export const bringTo = (names: ReadonlyArray<string>) =>
  makeMigrator(Object.fromEntries(Object.entries(migrations).filter(([name]) => names.includes(name)))).migrate
