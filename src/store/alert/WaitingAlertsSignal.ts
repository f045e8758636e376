/** Wakes the runners when alerts begin to wait: for others of their channel, the end of quiet hours, or a parent's recovery. */
export const waitingAlertsSignal = "belltower_waiting_alerts"
