// Limits of rates over HTTP/2; limits.test.ts has them over HTTP/1.1.
// Only in test:all: each protocol
import { ratesOver } from './rates.ts';

ratesOver('HTTP/2');
