/** The client as one file without imports: what the live page loads as `/client.js`. */
export { createClient, ServiceError } from './index.js';
