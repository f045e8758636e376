/** The migrations of this version. */
import initial from "../../../infra/migrations/0001_initial.ts"
import people from "../../../infra/migrations/0002_people.ts"
import access from "../../../infra/migrations/0003_access.ts"
import heartbeats from "../../../infra/migrations/0004_heartbeats.ts"
import pushes from "../../../infra/migrations/0005_pushes.ts"
import billing from "../../../infra/migrations/0006_billing.ts"
import mcp from "../../../infra/migrations/0007_mcp.ts"
import regions from "../../../infra/migrations/0008_regions.ts"
import results from "../../../infra/migrations/0009_results.ts"
import makers from "../../../infra/migrations/0010_makers.ts"
import channelSettings from "../../../infra/migrations/0011_channel_settings.ts"
import proofs from "../../../infra/migrations/0012_proofs.ts"
import deliveryQueues from "../../../infra/migrations/0013_delivery_queues.ts"
import monitorLists from "../../../infra/migrations/0014_monitor_lists.ts"
import streams from "../../../infra/migrations/0015_streams.ts"
import runners from "../../../infra/migrations/0016_runners.ts"
import incidents from "../../../infra/migrations/0019_incidents.ts"
import checkBlocks from "../../../infra/migrations/0022_check_blocks.ts"
import historyEnds from "../../../infra/migrations/0023_history_ends.ts"
import manifestComponents from "../../../infra/migrations/0024_manifest_components.ts"
import subscribers from "../../../infra/migrations/0026_subscribers.ts"
import oncall from "../../../infra/migrations/0027_oncall.ts"
import alerting from "../../../infra/migrations/0028_alerting.ts"
import imports from "../../../infra/migrations/0029_imports.ts"
import assignmentPlaces from "../../../infra/migrations/0032_assignment_places.ts"
import confirmations from "../../../infra/migrations/0034_confirmations.ts"
import compaction from "../../../infra/migrations/0035_compaction.ts"
import spanTotals from "../../../infra/migrations/0036_span_totals.ts"
import pages from "../../../infra/migrations/0037_pages.ts"
import maintenancePlans from "../../../infra/migrations/0038_maintenance_plans.ts"
import quietAlerts from "../../../infra/migrations/0039_quiet_alerts.ts"
import dependenciesAndDrills from "../../../infra/migrations/0040_dependencies_and_drills.ts"
import plans from "../../../infra/migrations/0041_plans.ts"
import upstreams from "../../../infra/migrations/0043_upstreams.ts"
import ai from "../../../infra/migrations/0044_ai.ts"
import manualHistory from "../../../infra/migrations/0046_manual_history.ts"
import monitorFilters from "../../../infra/migrations/0049_monitor_filters.ts"
import codeMonitors from "../../../infra/migrations/0053_code_monitors.ts"
import monitorRegions from "../../../infra/migrations/0054_monitor_regions.ts"
import newAssignments from "../../../infra/migrations/0055_new_assignments.ts"
import importItemNames from "../../../infra/migrations/0061_import_item_names.ts"
import fairTurns from "../../../infra/migrations/0062_fair_turns.ts"
import mailTurns from "../../../infra/migrations/0063_mail_turns.ts"
import alarmTurns from "../../../infra/migrations/0064_alarm_turns.ts"
import incidentSubscriptions from "../../../infra/migrations/0065_incident_subscriptions.ts"
import streaksOfOutages from "../../../infra/migrations/0067_streaks_of_outages.ts"
import listeners from "../../../infra/migrations/0073_listeners.ts"
import maintenanceTimes from "../../../infra/migrations/0074_maintenance_times.ts"
import pagingAlerts from "../../../infra/migrations/0075_paging_alerts.ts"
import dependentReviews from "../../../infra/migrations/0076_dependent_reviews.ts"
import sharedWaitingAlerts from "../../../infra/migrations/0077_shared_waiting_alerts.ts"
import secretCheck from "../../../infra/migrations/0078_secret_check.ts"
import newestChecks from "../../../infra/migrations/0084_newest_checks.ts"
import capturedMail from "../../../infra/migrations/0087_captured_mail.ts"
import mailServer from "../../../infra/migrations/0088_mail_server.ts"
import unreachedPeople from "../../../infra/migrations/0089_unreached_people.ts"
import runnerRows from "../../../infra/migrations/0091_runner_rows.ts"
import type { Migration } from "./Migration.ts"
import { makeMigrator } from "./Migrator.ts"

/** Every file of infra/migrations by name. The imports are static so that the bundle contains them. */
const migrations: Record<string, Migration> = {
  "0001_initial": initial,
  "0002_people": people,
  "0003_access": access,
  "0004_heartbeats": heartbeats,
  "0005_pushes": pushes,
  "0006_billing": billing,
  "0007_mcp": mcp,
  "0008_regions": regions,
  "0009_results": results,
  "0010_makers": makers,
  "0011_channel_settings": channelSettings,
  "0012_proofs": proofs,
  "0013_delivery_queues": deliveryQueues,
  "0014_monitor_lists": monitorLists,
  "0015_streams": streams,
  "0016_runners": runners,
  "0019_incidents": incidents,
  "0022_check_blocks": checkBlocks,
  "0023_history_ends": historyEnds,
  "0024_manifest_components": manifestComponents,
  "0026_subscribers": subscribers,
  "0027_oncall": oncall,
  "0028_alerting": alerting,
  "0029_imports": imports,
  "0032_assignment_places": assignmentPlaces,
  "0034_confirmations": confirmations,
  "0035_compaction": compaction,
  "0036_span_totals": spanTotals,
  "0037_pages": pages,
  "0038_maintenance_plans": maintenancePlans,
  "0039_quiet_alerts": quietAlerts,
  "0040_dependencies_and_drills": dependenciesAndDrills,
  "0041_plans": plans,
  "0043_upstreams": upstreams,
  "0044_ai": ai,
  "0046_manual_history": manualHistory,
  "0049_monitor_filters": monitorFilters,
  "0053_code_monitors": codeMonitors,
  "0054_monitor_regions": monitorRegions,
  "0055_new_assignments": newAssignments,
  "0061_import_item_names": importItemNames,
  "0062_fair_turns": fairTurns,
  "0063_mail_turns": mailTurns,
  "0064_alarm_turns": alarmTurns,
  "0065_incident_subscriptions": incidentSubscriptions,
  "0067_streaks_of_outages": streaksOfOutages,
  "0073_listeners": listeners,
  "0074_maintenance_times": maintenanceTimes,
  "0075_paging_alerts": pagingAlerts,
  "0076_dependent_reviews": dependentReviews,
  "0077_shared_waiting_alerts": sharedWaitingAlerts,
  "0078_secret_check": secretCheck,
  "0084_newest_checks": newestChecks,
  "0087_captured_mail": capturedMail,
  "0088_mail_server": mailServer,
  "0089_unreached_people": unreachedPeople,
  "0091_runner_rows": runnerRows
}

export const { migrate, verify } = makeMigrator(migrations)
