/** What a delivery says of its mail while no mail server is set. */
export const capturedNotSent = "Captured, not sent: no mail server is set"
