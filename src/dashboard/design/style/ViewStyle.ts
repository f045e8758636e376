/** Rules that only single views use. */
import { accountStyle } from "../../views/account/AccountStyle.ts"
import { billingStyle } from "../../views/billing/BillingStyle.ts"
import { channelStyle } from "../../views/channel/ChannelStyle.ts"
import { escalationStyle } from "../../views/escalation/EscalationStyle.ts"
import { incidentStyle } from "../../views/incident/IncidentStyle.ts"
import { historyStyle } from "../../views/monitor/HistoryStyle.ts"
import { monitorStyle } from "../../views/monitor/MonitorStyle.ts"
import { onCallStyle } from "../../views/oncall/OnCallStyle.ts"
import { pageStyle } from "../../views/page/PageStyle.ts"

export const viewStyle = [
  accountStyle,
  billingStyle,
  incidentStyle,
  historyStyle,
  monitorStyle,
  pageStyle,
  channelStyle,
  escalationStyle,
  onCallStyle
].join("")
