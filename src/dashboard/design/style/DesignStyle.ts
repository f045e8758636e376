/** The style sheet of the dashboard and of the pages before it: tokens, the frames, and the parts that both are made of. */
import { outsideStyle } from "../../outside/OutsideStyle.ts"
import { accountStyle } from "../../views/account/AccountStyle.ts"
import { billingStyle } from "../../views/billing/BillingStyle.ts"
import { channelStyle } from "../../views/channel/ChannelStyle.ts"
import { escalationStyle } from "../../views/escalation/EscalationStyle.ts"
import { incidentStyle } from "../../views/incident/IncidentStyle.ts"
import { monitorStyle } from "../../views/monitor/MonitorStyle.ts"
import { onCallStyle } from "../../views/oncall/OnCallStyle.ts"
import { pageStyle } from "../../views/page/PageStyle.ts"
import { controlStyle } from "./ControlStyle.ts"
import { frameStyle } from "./FrameStyle.ts"
import { partStyle } from "./PartStyle.ts"
import { tableStyle } from "./TableStyle.ts"
import { tokens } from "./Tokens.ts"

const viewStyle = [
  accountStyle,
  billingStyle,
  incidentStyle,
  monitorStyle,
  pageStyle,
  channelStyle,
  escalationStyle,
  onCallStyle
].join("")

export const designStyle = [tokens, frameStyle, controlStyle, partStyle, tableStyle, viewStyle, outsideStyle].join("").replaceAll(
  "\n",
  ""
)
