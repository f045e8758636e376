/** All views of the dashboard. A new view is a file in its noun's folder and an entry here. */
import type { View } from "../frame/View.ts"
import { appsView } from "./access/AppsView.tsx"
import { auditView } from "./access/AuditView.tsx"
import { keysView } from "./access/KeysView.tsx"
import { contactView } from "./account/ContactView.tsx"
import { digestsView } from "./account/DigestsView.tsx"
import { mailsView, mailView } from "./account/MailViews.tsx"
import { secondFactorView } from "./account/SecondFactorView.tsx"
import { securityView } from "./account/SecurityView.tsx"
import { workspacesView } from "./account/WorkspacesView.tsx"
import { usageView } from "./billing/UsageView.tsx"
import { channelsView } from "./channel/ChannelsView.tsx"
import { channelView } from "./channel/ChannelView.tsx"
import { newChannelView } from "./channel/NewChannelView.tsx"
import { deliveriesView } from "./delivery/DeliveriesView.tsx"
import { deploysView } from "./deploy/DeploysView.tsx"
import { digestView } from "./digest/DigestView.tsx"
import { escalationView, newPolicyView, policyView } from "./escalation/PolicyViews.tsx"
import { imagesView } from "./image/ImagesView.tsx"
import { importJobView } from "./import/ImportJobView.tsx"
import { importView } from "./import/ImportView.tsx"
import { incidentsView } from "./incident/IncidentsView.tsx"
import { incidentView } from "./incident/IncidentView.tsx"
import { newIncidentView } from "./incident/NewIncidentView.tsx"
import { postmortemView } from "./incident/PostmortemView.tsx"
import { templatesView } from "./incident/TemplatesView.tsx"
import { maintenanceView } from "./maintenance/MaintenanceView.tsx"
import { newMaintenanceView } from "./maintenance/NewMaintenanceView.tsx"
import { checksView } from "./monitor/ChecksView.tsx"
import { checkView } from "./monitor/CheckView.tsx"
import { deleteMonitorsView, deleteMonitorView } from "./monitor/DeleteMonitorsViews.tsx"
import { explainView } from "./monitor/ExplainView.tsx"
import { figuresView } from "./monitor/FiguresView.tsx"
import { editMonitorView, newMonitorView } from "./monitor/MonitorFormViews.tsx"
import { monitorsView } from "./monitor/MonitorsView.tsx"
import { monitorView } from "./monitor/MonitorView.tsx"
import { regionsView } from "./monitor/RegionsView.tsx"
import { runsView } from "./monitor/run/RunsView.tsx"
import { runView } from "./monitor/run/RunView.tsx"
import { startView } from "./monitor/StartView.tsx"
import { uptimeView } from "./monitor/UptimeView.tsx"
import { drillView } from "./oncall/DrillView.tsx"
import { onCallView } from "./oncall/OnCallView.tsx"
import { newScheduleView, scheduleView } from "./oncall/ScheduleView.tsx"
import { overviewView } from "./overview/OverviewView.tsx"
import { componentsView } from "./page/ComponentsView.tsx"
import { componentView } from "./page/ComponentView.tsx"
import { domainView } from "./page/DomainView.tsx"
import { lookView } from "./page/LookView.tsx"
import { newPageView, pagesView } from "./page/PagesView.tsx"
import { pageSettingsView } from "./page/SettingsView.tsx"
import { subscribersView } from "./page/SubscribersView.tsx"
import { membersView } from "./people/MembersView.tsx"
import { planView } from "./plan/PlanView.tsx"
import { providersView } from "./provider/ProvidersView.tsx"
import { upstreamsView } from "./upstream/UpstreamsView.tsx"

export const views: ReadonlyArray<View> = [
  overviewView,
  monitorsView,
  newMonitorView,
  editMonitorView,
  startView,
  deleteMonitorView,
  deleteMonitorsView,
  monitorView,
  checksView,
  runsView,
  runView,
  checkView,
  regionsView,
  uptimeView,
  explainView,
  figuresView,
  incidentsView,
  newIncidentView,
  templatesView,
  incidentView,
  postmortemView,
  deploysView,
  maintenanceView,
  newMaintenanceView,
  upstreamsView,
  membersView,
  keysView,
  appsView,
  auditView,
  usageView,
  imagesView,
  importView,
  importJobView,
  planView,
  digestView,
  pagesView,
  newPageView,
  lookView,
  componentsView,
  componentView,
  pageSettingsView,
  domainView,
  subscribersView,
  channelsView,
  newChannelView,
  channelView,
  deliveriesView,
  escalationView,
  newPolicyView,
  policyView,
  onCallView,
  newScheduleView,
  scheduleView,
  drillView,
  providersView,
  contactView,
  workspacesView,
  digestsView,
  securityView,
  secondFactorView,
  mailsView,
  mailView
]
