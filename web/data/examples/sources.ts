import hello from '../../../examples/hello/workflow.yaml';
import payment from '../../../examples/order-payment/workflow.yaml';
import bank from '../../../examples/order-saga/flows/bank.yaml';
import carrier from '../../../examples/order-saga/flows/carrier.yaml';
import stock from '../../../examples/order-saga/flows/stock.yaml';
import saga from '../../../examples/order-saga/workflow.yaml';

/** The texts of the workflows of the examples, by name; loaded when they are shown. */
export const SOURCES = { hello, payment, bank, carrier, stock, saga };

export type Sources = typeof SOURCES;
